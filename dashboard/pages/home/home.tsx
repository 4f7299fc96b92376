import { Page } from '../../ui/page.tsx'
export default function X() {
  return <Page title="home/home">soon</Page>
}
