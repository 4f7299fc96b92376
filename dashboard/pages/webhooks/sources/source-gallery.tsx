import { Text, UnstyledButton } from '@mantine/core'
import classes from './source-gallery.module.css'
import { type Source, sources } from './sources.ts'

type Props = { chosen: Source | null; onChoose: (source: Source | null) => void }

/** What a new webhook begins with: the sender decides about verification, example and prompt. */
export function SourceGallery({ chosen, onChoose }: Props) {
  return (
    <section aria-label="Source">
      <Text fw={500}>Where do the events come from?</Text>
      <Text size="xs" c="dimmed" mb={8}>
        Sets verification, an example and a prompt to start from. Everything stays editable.
      </Text>
      <div className={classes.gallery}>
        {sources.map((source) => (
          <UnstyledButton
            key={source.id}
            className={classes.source}
            aria-pressed={source === chosen}
            onClick={() => onChoose(source === chosen ? null : source)}
          >
            {source.label}
          </UnstyledButton>
        ))}
      </div>
    </section>
  )
}
