import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The editor in our own colours: they pass AA in both schemes and follow a change of scheme by themselves. */
export const codeTheme = [
  EditorView.theme({
    '&': { color: 'var(--mantine-color-text)', backgroundColor: 'var(--mantine-color-body)' },
    // The gutter reaches the bottom even with few lines.
    '.cm-scroller': { minHeight: 'inherit' },
    '.cm-content': { caretColor: 'var(--mantine-color-text)' },
    '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
    '.cm-gutters': {
      alignSelf: 'stretch',
      height: 'auto',
      color: 'var(--mantine-color-dimmed)',
      backgroundColor: 'var(--surface)',
      borderRight: '1px solid var(--line)',
    },
    '.cm-activeLineGutter': { backgroundColor: 'var(--surface-2)' },
    '&.cm-focused': { outline: 'none' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--accent-wash)',
    },
    '.cm-tooltip': {
      color: 'var(--mantine-color-text)',
      backgroundColor: 'var(--mantine-color-body)',
      border: '1px solid var(--line-strong)',
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--accent-text)' },
      { tag: tags.string, color: 'var(--good)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--busy)' },
    ]),
  ),
]
