import { Alert, List } from '@mantine/core'

export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null
  return (
    <Alert color="yellow" variant="outline" title="Warnings">
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
