import { useQueryClient } from '@tanstack/react-query'
import { BackTo } from '../../ui/back-to.tsx'
import { notify } from '../../ui/notify.ts'
import { Page } from '../../ui/page.tsx'
import { useNavigateIfHere } from '../../use-navigate-if-here.ts'
import { rememberUrl } from './use-endpoint-url.ts'
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
