import { Stack, Text } from '@mantine/core'
import type { PromptPart, Run } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'

const titles: Record<PromptPart['name'], string> = {
  system: 'System part',
  tools: 'Tools',
  event: 'Event',
  history: 'History',
  turn: 'Turn',
  request: 'Request',
}

/** What the model got at the first step, part by part. It is read only when somebody wants to see it: an event may be long. */
export function WholePrompt({ run }: { run: Run }) {
  return (
    <Collapsible title="What the model was sent" summary={plural(run.tools.length, 'tool')}>
      <Parts run={run} />
    </Collapsible>
  )
}

function Parts({ run }: { run: Run }) {
  const prompt = useOne<{ parts: PromptPart[] }>(`/runs/${run.id}/prompt`)
  const counted = run.steps[0]?.usage.inputTokens ?? 0
  return (
    <QueryView query={prompt}>
      {({ parts }) => (
        <Stack gap={8}>
          <Text size="xs" c="dimmed">
            The first step: {size(sumOf(parts))}. Tokens are estimated at four bytes each.
            {counted > 0 && ` The model provider counted ${formatNumber(counted)}.`}
          </Text>
          {parts
            .filter(({ bytes }) => bytes > 0)
            .map((part) => (
              <Collapsible key={part.name} title={titles[part.name]} summary={size(part)}>
                <RawView what={titles[part.name]} text={part.text} />
              </Collapsible>
            ))}
        </Stack>
      )}
    </QueryView>
  )
}

type Size = Pick<PromptPart, 'bytes' | 'tokens'>

function sumOf(parts: readonly PromptPart[]): Size {
  const sum = (of: keyof Size) => parts.reduce((total, part) => total + part[of], 0)
  return { bytes: sum('bytes'), tokens: sum('tokens') }
}

function size({ bytes, tokens }: Size): string {
  return `${formatBytes(bytes)}, about ${formatNumber(tokens)} tokens`
}
