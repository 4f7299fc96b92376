import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="home/first-run">soon</Page>
}
