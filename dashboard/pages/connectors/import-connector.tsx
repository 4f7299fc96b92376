import { Page } from '../../ui/page.tsx'

export default function ImportConnector() {
  return <Page title="Import">{null}</Page>
}
