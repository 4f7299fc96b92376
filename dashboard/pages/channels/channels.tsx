import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="channels/channels">soon</Page>
}
