import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter, lintGutter } from '@codemirror/lint'
import { EditorView } from '@codemirror/view'
import { useComputedColorScheme } from '@mantine/core'
import ReactCodeMirror from '@uiw/react-codemirror'
import { useMemo } from 'react'
import classes from './code-mirror.module.css'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  language?: 'json' | 'text'
  minHeight?: number
  readOnly?: boolean
}

export default function CodeMirror({
  label,
  value,
  onChange,
  language = 'json',
  minHeight = 160,
  readOnly = false,
}: Props) {
  const scheme = useComputedColorScheme('light')
  const extensions = useMemo(
    () => [
      ...(language === 'json' ? [json(), linter(jsonParseLinter()), lintGutter()] : []),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ],
    [language, label],
  )
  return (
    <ReactCodeMirror
      className={classes.editor ?? ''}
      value={value}
      onChange={onChange}
      theme={scheme}
      extensions={extensions}
      minHeight={`${minHeight}px`}
      maxHeight="520px"
      readOnly={readOnly}
      // Tab leaves the editor: a keyboard must not be caught in it.
      indentWithTab={false}
      basicSetup={{ foldGutter: false, highlightActiveLine: false, autocompletion: false }}
    />
  )
}
