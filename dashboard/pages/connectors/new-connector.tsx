import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="connectors/new-connector">soon</Page>
}
