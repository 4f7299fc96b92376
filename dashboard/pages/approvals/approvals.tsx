import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="approvals/approvals">soon</Page>
}
