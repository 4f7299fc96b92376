import { Code, Select, Table, Text } from '@mantine/core'
import { hasErrorAt } from '../../../../ui/forms/field-errors.ts'
import type { DraftForm } from '../../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../../ui/layout/collapsible.tsx'
import { type Location, placeholdersOf, propertiesOf, type ToolValues } from './tool-values.ts'

const words: Record<string, string> = {
  query: 'query',
  header: 'header',
  body: 'body',
  wholeBody: 'entire body',
}

/** Where each input goes: exactly one place. */
export function InputPlaces({ form }: { form: DraftForm<ToolValues> }) {
  const { path, method, inputSchema, locations } = form.values
  const placeholders = placeholdersOf(path)
  // Includes entries for inputs that are no longer in the schema: the server refuses those, and here they can be cleared.
  const names = [...new Set([...placeholders, ...propertiesOf(inputSchema), ...Object.keys(locations)])]
  const usual = ['GET', 'HEAD', 'DELETE'].includes(method) ? 'query' : 'body'
  const set = (name: string, place: string | null) => {
    const { [name]: old, ...others } = locations
    form.clearFieldError(`locations.${name}`)
    form.setFieldValue('locations', place === null ? others : { ...others, [name]: moved(old, place) })
  }
  return (
    <Collapsible
      title="Input locations"
      faulty={hasErrorAt(form.errors, 'locations')}
      summary={
        names.length === 0 ? 'No inputs yet' : names.map((name) => `${name} → ${placeOf(name)}`).join(', ')
      }
    >
      {names.length === 0 ? (
        <Text c="dimmed">Inputs appear here once the schema has properties.</Text>
      ) : (
        <Table verticalSpacing={6}>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <Code>{name}</Code>
                </Table.Td>
                <Table.Td>
                  {placeholders.includes(name) ? (
                    <Text>
                      path <Code>{`{${name}}`}</Code>
                    </Text>
                  ) : (
                    <Select
                      size="xs"
                      aria-label={`Location of ${name}`}
                      placeholder={`${words[usual]} (default)`}
                      clearable
                      data={Object.entries(words).map(([value, label]) => ({ value, label }))}
                      value={inOf(locations[name])}
                      onChange={(value) => set(name, value)}
                      error={form.errors[`locations.${name}`]}
                    />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {form.errors.locations && (
        <Text size="xs" c="var(--bad)" mt={8}>
          {form.errors.locations}
        </Text>
      )}
    </Collapsible>
  )

  function placeOf(name: string): string {
    if (placeholders.includes(name)) return 'path'
    return words[inOf(locations[name]) ?? usual] ?? usual
  }
}

function inOf(location: Location | undefined): string | null {
  if (location === undefined) return null
  return typeof location === 'string' ? location : location.in
}

/** A new place keeps the name on the wire that somebody chose. */
function moved(old: Location | undefined, place: string): Location {
  const to = place as Extract<Location, string> // the select offers nothing else
  return typeof old === 'object' ? { ...old, in: to } : to
}
