import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="connectors/import-connector">soon</Page>
}
