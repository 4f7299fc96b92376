import { Select, type SelectProps } from '@mantine/core'

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** A zone by its IANA name. One that the browser does not list, because it has another name there, stays as it is. */
export function TimeZoneSelect(props: SelectProps) {
  const { value } = props
  return (
    <Select
      data={value && !timeZones.includes(value) ? [value, ...timeZones] : timeZones}
      searchable
      limit={50}
      allowDeselect={false}
      {...props}
    />
  )
}
