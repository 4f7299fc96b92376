import { ActionIcon, Group } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import {
  IconBlockquote,
  IconBold,
  IconCode,
  IconEye,
  IconItalic,
  IconLink,
  IconList,
} from '@tabler/icons-react'
import type { RefObject } from 'react'
import { Hint } from '../../../ui/layout/hint.tsx'
import { formatSelection, formats } from './format-text.ts'

const icons = {
  Bold: IconBold,
  Italic: IconItalic,
  Code: IconCode,
  Link: IconLink,
  List: IconList,
  Quote: IconBlockquote,
}

const mod = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'

/** For the text that has the focus. */
export const formatByKey = getHotkeyHandler(
  formats.map(({ keys, format }) => [
    keys,
    ({ target }) => {
      if (target instanceof HTMLTextAreaElement) formatSelection(target, format)
    },
  ]),
)

type Props = {
  box: RefObject<HTMLTextAreaElement | null>
  isPreviewed: boolean
  onPreview: () => void
}

/** Markdown for those who do not know it. */
export function FormatBar({ box, isPreviewed, onPreview }: Props) {
  return (
    <Group gap={0} wrap="nowrap" role="group" aria-label="Formatting">
      {formats.map(({ name, keys, format }) => {
        const Icon = icons[name]
        const words = keys.replace('mod', mod).replace('shift', 'Shift')
        return (
          <Hint key={name} label={`${name} (${words})`}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={name}
              aria-keyshortcuts={words.replace('Ctrl', 'Control').replace('⌘', 'Meta')}
              // The text keeps its focus and its selection.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => box.current && formatSelection(box.current, format)}
            >
              <Icon size="0.9375rem" stroke={1.7} aria-hidden />
            </ActionIcon>
          </Hint>
        )
      })}
      <Hint label={isPreviewed ? 'Hide preview' : 'Show preview'}>
        <ActionIcon
          size="sm"
          variant={isPreviewed ? 'light' : 'subtle'}
          color={isPreviewed ? 'brass' : 'gray'}
          aria-label="Preview"
          aria-pressed={isPreviewed}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onPreview}
        >
          <IconEye size="0.9375rem" stroke={1.7} aria-hidden />
        </ActionIcon>
      </Hint>
    </Group>
  )
}
