import { useLocalStorage, useSplitter } from '@mantine/hooks'

/** As in channels.module.css. */
const usual = '220px'

/** How wide the list of channels is in this browser. The separator is dragged, or moved with arrow keys; a double click resets it. */
export function useListWidth(enabled: boolean) {
  const [width, setWidth] = useLocalStorage<`${number}px`>({
    key: 'channel-list-width',
    defaultValue: usual,
    getInitialValueInEffect: false,
  })
  const { ref, getHandleProps } = useSplitter<HTMLDivElement>({
    panels: [
      { defaultSize: usual, min: '160px', max: '360px' },
      { defaultSize: 100, min: '320px' },
    ],
    sizes: [width, 100],
    // The first panel keeps the unit that it is declared in.
    onSizeChange: ([list]) => setWidth(`${Math.round(Number.parseFloat(String(list)))}px`),
    step: '10px',
    shiftStep: '40px',
    // It would keep the ratio of both panels.
    resetOnDoubleClick: false,
    enabled,
  })
  const separator = {
    ...getHandleProps({ index: 0 }),
    'aria-label': 'Width of the channel list',
    onDoubleClick: () => setWidth(usual),
  }
  return { ref, width, separator }
}
