import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="webhooks/new-webhook">soon</Page>
}
