import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="connectors/connectors">soon</Page>
}
