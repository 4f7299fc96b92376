import { useLocalStorage } from '@mantine/hooks'

/** The columns of a list that this person shows or hides otherwise than usual, in this browser. */
export function useToggledColumns(list: string): [toggled: string[], setToggled: (names: string[]) => void] {
  const [toggled, setToggled] = useLocalStorage<string[]>({
    key: `columns:${list}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  return [toggled, setToggled]
}
