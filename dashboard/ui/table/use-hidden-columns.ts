import { useLocalStorage } from '@mantine/hooks'

/** The columns of a list that this person does not want to see, in this browser. */
export function useHiddenColumns(list: string): [hidden: string[], setHidden: (names: string[]) => void] {
  const [hidden, setHidden] = useLocalStorage<string[]>({
    key: `columns:${list}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  return [hidden, setHidden]
}
