import { RawView } from '../../ui/code/raw-view.tsx'

type Props = { answer: { contentType?: string | null | undefined; body: string } }

/** The answer of a tool's API, as it came. */
export function AnswerView({ answer: { contentType, body } }: Props) {
  return <RawView what={contentType ? `Response (${contentType})` : 'Response'} text={body} json />
}
