import { element } from './element.ts'

/** Shows the value of a field. Texts are shown as they are; nothing in them is taken for markup. */
export function showValue(value: unknown): Node {
  if (value === null || value === undefined || value === '') {
    return element('span', { class: 'none', title: 'no value' }, '–')
  }
  if (typeof value === 'string' && /^https?:\/\/\S+$/.test(value)) {
    return element('a', { href: value, target: '_blank', rel: 'noopener noreferrer' }, value)
  }
  return document.createTextNode(formatValue(value))
}

/** Writes a value as text; dates and times, which come in parts, as ISO 8601. */
export function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object' || value === null) return String(value)
  const { year, month, day, hour, minute, second } = value as Readonly<Record<string, number | undefined>>
  const date = year === undefined ? '' : `${padded(year, 4)}-${padded(month)}-${padded(day)}`
  const time = hour === undefined ? '' : `${padded(hour)}:${padded(minute)}:${padded(second)}`
  return date === '' && time === '' ? JSON.stringify(value) : `${date} ${time}`.trim()
}

const padded = (value: number | undefined, digits = 2) => String(value ?? 0).padStart(digits, '0')
