import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter, lintGutter } from '@codemirror/lint'
import { EditorView } from '@codemirror/view'
import ReactCodeMirror from '@uiw/react-codemirror'
import { useMemo } from 'react'
import classes from './code-mirror.module.css'
import { codeTheme } from './code-theme.ts'

const parseErrors = jsonParseLinter()
/** An optional field may be empty. */
const jsonErrors = linter((view) => (view.state.doc.toString().trim() === '' ? [] : parseErrors(view)))

type Props = {
  label: string
  /** The ids of what is describedBy about it. */
  describedBy: string
  invalid: boolean
  value: string
  onChange: (value: string) => void
  language?: 'json' | 'text'
  minHeight?: number
  readOnly?: boolean
}

export default function CodeMirror({
  label,
  describedBy,
  invalid,
  value,
  onChange,
  language = 'json',
  minHeight = 160,
  readOnly = false,
}: Props) {
  const extensions = useMemo(
    () => [
      ...(language === 'json' ? [json(), jsonErrors, lintGutter()] : []),
      codeTheme,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-describedby': describedBy,
        'aria-invalid': String(invalid),
      }),
    ],
    [language, label, describedBy, invalid],
  )
  return (
    <ReactCodeMirror
      className={classes.editor ?? ''}
      value={value}
      onChange={onChange}
      theme="none"
      extensions={extensions}
      minHeight={`${minHeight}px`}
      maxHeight="520px"
      readOnly={readOnly}
      // Tab leaves the editor, so that keyboard users are not trapped in it.
      indentWithTab={false}
      basicSetup={{
        syntaxHighlighting: false,
        foldGutter: false,
        highlightActiveLine: false,
        autocompletion: false,
      }}
    />
  )
}
