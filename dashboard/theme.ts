import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  createTheme,
  Input,
  type MantineColorsTuple,
  Menu,
  type ModalProps,
  type NumberInputProps,
  type PasswordInputProps,
  Tooltip,
} from '@mantine/core'
import { restoreFocus } from './ui/layout/restore-focus.ts'

const brass: MantineColorsTuple = [
  '#fbf5e9',
  '#f5e8cc',
  '#ebd09b',
  '#e4bc70',
  '#e0a84a',
  '#cc9136',
  '#b7791f',
  '#9a6519',
  '#7d5114',
  '#5f3d0f',
]

/** Warm, to fit the brass: Mantine's own greys are bluish. */
const gray: MantineColorsTuple = [
  '#fafaf8',
  '#f2f2ee',
  '#eaeae6',
  '#e0e0dc',
  '#cfcfca',
  '#b1b1ab',
  '#878781',
  '#5f5f5a',
  '#3c3c39',
  '#262624',
]
const dark: MantineColorsTuple = [
  '#cbcbc6',
  '#b8b8b3',
  '#82827c',
  '#696964',
  '#454541',
  '#3a3a37',
  '#2b2b29',
  '#242423',
  '#1f1f1e',
  '#151514',
]

const motion = { duration: 120 }

/** Quiet greys and one brass accent; three sizes of type; borders instead of shadows. */
export const theme = createTheme({
  colors: { brass, gray, dark },
  primaryColor: 'brass',
  primaryShade: { light: 6, dark: 4 },
  // White on brass is 3.6 : 1, too little to read; dark ink on it is 5.7 : 1.
  autoContrast: true,
  luminanceThreshold: 0.2,
  black: '#1b1b1a',
  fontFamily:
    'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Helvetica, Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
  // 12, 14, 16 and 20 px, on a grid of 4 px, at the browser's usual font size of 16 px.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '6px', xl: '6px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.43' },
      h4: { fontSize: '0.875rem', lineHeight: '1.43' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Imported only as types where few pages use the component, so that the others do not load it.
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Alert: Alert.extend({ styles: { message: { color: 'var(--mantine-color-text)' } } }),
    Anchor: Anchor.extend({ defaultProps: { c: 'var(--accent-text)', underline: 'always' } }),
    Button: Button.extend({ defaultProps: { size: 'sm' }, styles: { label: { fontWeight: 500 } } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] },
      styles: {
        label: { fontWeight: 500, marginBottom: '0.125rem' },
        description: { fontSize: '0.75rem', lineHeight: 1.4, marginBottom: '0.25rem' },
        error: { fontSize: '0.75rem', lineHeight: 1.4 },
      },
    }),
    Menu: Menu.extend({ defaultProps: { position: 'bottom-end', transitionProps: motion } }),
    Modal: {
      defaultProps: {
        transitionProps: motion,
        shadow: 'none',
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        onExitTransitionEnd: restoreFocus,
      } satisfies Partial<ModalProps>,
      styles: {
        content: { border: '1px solid var(--line)' },
        title: { fontWeight: 600, lineHeight: 1.4, overflowWrap: 'anywhere', minWidth: 0 },
      },
    },
    // Keeps what was typed: a value out of range is reported at the field, not corrected silently.
    NumberInput: { defaultProps: { clampBehavior: 'none' } satisfies NumberInputProps },
    PasswordInput: {
      defaultProps: {
        visibilityToggleButtonProps: { 'aria-label': 'Show or hide' },
      } satisfies PasswordInputProps,
    },
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 250, transitionProps: motion, withArrow: false },
      styles: { tooltip: { fontSize: '0.75rem' } },
    }),
  },
})
