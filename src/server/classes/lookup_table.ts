import { findOrderFaults } from '../../contract/lookup_order.ts'
import { joinPointer } from '../../core/pointer.ts'
import type { MemberRow } from '../../store/classes/member_table.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Given, givenOf, rowBehaviour } from './row.ts'

type Row = MemberRow<'lookup_table'>
type Item = readonly [key: string, value: string]

/** Tables of codes and their labels. Updates replace all items, and keep the id, to which fields refer. */
export const lookupTableBehaviour = rowBehaviour({
  cls: 'lookup_table',
  change: ({ members }, stored) => rowOf(givenOf('lookup_table', members), stored),
  show: (row) => ({ ...row, items: Object.fromEntries(sortItems(row)) }),
})

function rowOf(given: Given<'lookup_table'>, stored: Row): Row {
  const { items = stored.items, sort = stored.sort, order } = given
  const keys = Object.keys(items)
  if (order !== undefined && order !== null) checkOrder(order, items)
  return { items, sort, order: order === undefined ? fitOrder(stored.order, keys) : order }
}

/** Keeps the stored order for existing keys, and appends new keys. */
function fitOrder(order: readonly string[] | null, keys: readonly string[]): string[] | null {
  if (order === null) return null
  const [known, next] = [new Set(order), new Set(keys)]
  return [...order.filter((key) => next.has(key)), ...keys.filter((key) => !known.has(key))]
}

function checkOrder(order: readonly string[], items: Row['items']): void {
  const [first] = findOrderFaults(order, items)
  if (first === undefined) return
  const pointer = joinPointer('/lookup_table/order', ...(first.index === undefined ? [] : [first.index]))
  throw invalidAt(pointer, `the key ${JSON.stringify(first.key)} ${first.fault}`, first.hint)
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const comparisons = {
  KEY_ASC: ([a], [b]) => compareText(a, b),
  KEY_DESC: ([a], [b]) => compareText(b, a),
  VALUE_ASC: ([, a], [, b]) => compareText(a, b),
  VALUE_DESC: ([, a], [, b]) => compareText(b, a),
} satisfies Record<string, (a: Item, b: Item) => number>

function sortItems({ items, sort, order }: Row): readonly Item[] {
  if (sort !== 'CUSTOM') return Object.entries(items).toSorted(comparisons[sort])
  return order === null ? Object.entries(items) : order.map((key) => [key, items[key] ?? ''])
}
