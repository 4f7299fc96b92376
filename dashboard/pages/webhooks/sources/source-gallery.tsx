import { Text, UnstyledButton } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { BrandTile } from '../../../ui/logos/brand-tile.tsx'
import classes from './source-gallery.module.css'
import { type Source, sources } from './sources.ts'

type Props = { chosen: Source | null; onChoose: (source: Source | null) => void }

const other = { id: 'other', label: 'Other', kind: 'Any sender', picture: IconDots }

/** What a new webhook begins with: the sender decides about verification, example and prompt. */
export function SourceGallery({ chosen, onChoose }: Props) {
  return (
    <section aria-label="Source">
      <Text fw={500}>Where do the events come from?</Text>
      <Text size="xs" c="dimmed" mb={8}>
        Sets verification, an example and a prompt to start from. Everything stays editable, and Verification
        knows more senders.
      </Text>
      <div className={classes.gallery}>
        {[...sources, other].map(({ id, label, kind, picture }) => (
          <UnstyledButton
            key={id}
            className={classes.source}
            aria-pressed={id === (chosen ?? other).id}
            onClick={() => onChoose(sources.find((source) => source.id === id) ?? null)}
          >
            <Picture of={picture} />
            <span>
              <span className={classes.label}>{label}</span> <span className={classes.kind}>{kind}</span>
            </span>
          </UnstyledButton>
        ))}
      </div>
    </section>
  )
}

function Picture({ of: Mark }: { of: Source['picture'] }) {
  if (typeof Mark === 'string') return <BrandTile brand={Mark} />
  return <Mark className={classes.mark} size="1.25rem" stroke={1.5} aria-hidden />
}
