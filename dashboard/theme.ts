import {
  Alert,
  Anchor,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  Modal,
  NumberInput,
  PasswordInput,
  Tooltip,
} from '@mantine/core'
import { giveFocusBack } from './ui/give-focus-back.ts'

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

/** Warm, as everything beside the brass: Mantine's own greys are blue. */
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
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Helvetica, Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '6px', xl: '6px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
      h4: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Alert: Alert.extend({ styles: { message: { color: 'var(--mantine-color-text)' } } }),
    Anchor: Anchor.extend({ defaultProps: { c: 'var(--accent-text)', underline: 'always' } }),
    Badge: Badge.extend({ defaultProps: { radius: 'xs' }, styles: { label: { textTransform: 'none' } } }),
    Button: Button.extend({ defaultProps: { size: 'sm' }, styles: { label: { fontWeight: 500 } } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] },
      styles: { label: { fontWeight: 500, marginBottom: 2 }, description: { fontSize: 12, marginBottom: 4 } },
    }),
    Modal: Modal.extend({
      defaultProps: {
        transitionProps: motion,
        shadow: 'none',
        centered: true,
        onExitTransitionEnd: giveFocusBack,
      },
      styles: {
        content: { border: '1px solid var(--line)' },
        title: { fontWeight: 600, lineHeight: 1.4, overflowWrap: 'anywhere', minWidth: 0 },
      },
    }),
    // What was typed stays: a value that does not fit is said at the field, not corrected behind somebody's back.
    NumberInput: NumberInput.extend({ defaultProps: { clampBehavior: 'none' } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide what is typed' } },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 250, transitionProps: motion, withArrow: false },
      styles: { tooltip: { fontSize: 12 } },
    }),
  },
})

/** The few colours that are ours. Each pair passes WCAG AA on the surface it stands on. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5d6268',
    '--mantine-color-placeholder': '#70767d',
    // Icons that wait for a pointer step back behind the words.
    '--mantine-color-gray-light-color': '#5d6268',
    '--mantine-color-error': '#c92a2a',
    // Lighter, not darker: the ink on it must stay readable.
    '--mantine-color-brass-filled-hover': '#c4862b',
    '--mantine-primary-color-filled-hover': '#c4862b',
    '--mantine-color-red-outline': '#b42318',
    '--mantine-color-yellow-outline': '#8f5600',
    '--mantine-color-green-outline': '#1f7a3a',
    '--mantine-color-gray-outline': '#5d6268',
    '--line': '#e3e3e0',
    '--line-strong': '#cfcfca',
    '--surface': '#fafaf8',
    '--surface-2': '#f2f2ee',
    '--accent': '#b7791f',
    '--accent-text': '#85560f',
    '--accent-wash': '#fbf3e2',
    '--good': '#1f7a3a',
    '--good-wash': '#e6f4ea',
    '--busy': '#1c63b8',
    '--busy-wash': '#e5f0fb',
    '--waiting': '#8f5600',
    '--waiting-wash': '#fdf0d5',
    '--bad': '#b42318',
    '--bad-wash': '#fdeceb',
    '--idle': '#5d6268',
    '--idle-wash': '#f0f0ed',
  },
  dark: {
    '--mantine-color-body': '#1b1b1a',
    '--mantine-color-dimmed': '#a6a6a1',
    '--mantine-color-placeholder': '#94948e',
    '--mantine-color-gray-light-color': '#a6a6a1',
    '--mantine-color-gray-light': '#333330',
    '--mantine-color-brass-light': '#362b17',
    '--mantine-color-brass-light-hover': '#41341b',
    '--mantine-color-brass-light-color': '#e6b564',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-red-outline': '#ff8f85',
    '--mantine-color-yellow-outline': '#f0b95a',
    '--mantine-color-green-outline': '#6fd08c',
    '--mantine-color-gray-outline': '#a6a6a1',
    '--line': '#333330',
    '--line-strong': '#454541',
    '--surface': '#222221',
    '--surface-2': '#2a2a28',
    '--accent': '#e0a84a',
    '--accent-text': '#e6b564',
    '--accent-wash': '#362b17',
    '--good': '#6fd08c',
    '--good-wash': '#17301e',
    '--busy': '#7db8f5',
    '--busy-wash': '#16293d',
    '--waiting': '#f0b95a',
    '--waiting-wash': '#38290f',
    '--bad': '#ff8f85',
    '--bad-wash': '#3d1b19',
    '--idle': '#a6a6a1',
    '--idle-wash': '#2c2c2a',
  },
})
