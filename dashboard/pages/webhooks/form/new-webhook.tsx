import { useQueryClient } from '@tanstack/react-query'
import { useNavigateIfHere } from '../../../hooks/use-navigate-if-here.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { BackTo } from '../../../ui/layout/back-to.tsx'
import { Page } from '../../../ui/layout/page.tsx'
import { rememberUrl } from '../use-endpoint-url.ts'
import { WebhookForm } from './webhook-form.tsx'

export default function NewWebhook() {
  const navigateIfHere = useNavigateIfHere()
  const queries = useQueryClient()
  return (
    <Page title="New webhook" back={<BackTo to="/webhooks" what="webhooks" />}>
      <WebhookForm
        onSaved={(webhook) => {
          rememberUrl(queries, webhook)
          notify('Webhook created. Copy its URL to the sender.')
          void navigateIfHere(`/webhooks/${webhook.id}`)
        }}
      />
    </Page>
  )
}
