import type { Members } from '../../contract/registry.ts'
import { joinPointer } from '../../core/pointer.ts'
import { type LookupTableRow, lookupTables } from '../../store/classes/lookup_table.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Behaviour, idOf } from './behaviour.ts'

type Given = NonNullable<Members<'lookup_table'>['lookup_table']>
type Item = LookupTableRow['items'][number]

/** Words for codes. Items are written as a whole; fields point at the table, so that its id stays. */
export const lookupTableBehaviour: Behaviour<'lookup_table'> = {
  async readMembers(tx, ids) {
    const rows = await lookupTables.find(tx, ids)
    return new Map([...rows].map(([id, row]) => [id, { lookup_table: wireTable(row) }]))
  },
  async create(tx, changes) {
    await lookupTables.write(
      tx,
      new Map(changes.map(({ id, members }) => [id, rowOf(members.lookup_table ?? {}, emptyRow)])),
    )
  },
  async update(tx, changes) {
    const standing = await lookupTables.find(tx, changes.map(idOf))
    const rows = changes.map(({ id, members }): [number, LookupTableRow] => [
      id,
      rowOf(members.lookup_table ?? {}, standing.get(id) ?? emptyRow),
    ])
    await lookupTables.write(tx, new Map(rows))
  },
}

const emptyRow: LookupTableRow = { items: [], sort: 'CUSTOM', key_order: null }

function rowOf(given: Given, standing: LookupTableRow): LookupTableRow {
  const { sort = standing.sort, order } = given
  const items = given.items === undefined ? standing.items : Object.entries(given.items)
  const keys = items.map(([key]) => key)
  if (order !== undefined && order !== null) checkOrder(order, keys)
  return {
    items,
    sort,
    key_order: order === undefined ? fitOrder(standing.key_order, keys) : order,
  }
}

/** Keeps an order that was given earlier, for the keys that are still there; new ones come after. */
function fitOrder(order: readonly string[] | null, keys: readonly string[]): readonly string[] | null {
  if (order === null) return null
  const [known, wanted] = [new Set(order), new Set(keys)]
  return [...order.filter((key) => wanted.has(key)), ...keys.filter((key) => !known.has(key))]
}

function checkOrder(order: readonly string[], keys: readonly string[]): void {
  const left = new Set(keys)
  for (const [at, key] of order.entries()) {
    if (left.delete(key)) continue
    const why = keys.includes(key) ? 'stands in the order already' : 'is no key of the items'
    throw invalidAt(joinPointer('/lookup_table/order', at), `${JSON.stringify(key)} ${why}`)
  }
  const [missing] = left
  if (missing !== undefined)
    throw invalidAt('/lookup_table/order', `the key ${JSON.stringify(missing)} is missing`)
}

function wireTable(row: LookupTableRow): Required<Given> {
  const order = row.key_order === null ? null : [...row.key_order]
  return { items: Object.fromEntries(sortItems(row)), sort: row.sort, order }
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const comparisons = {
  KEY_ASC: ([a], [b]) => compareText(a, b),
  KEY_DESC: ([a], [b]) => compareText(b, a),
  VALUE_ASC: ([, a], [, b]) => compareText(a, b),
  VALUE_DESC: ([, a], [, b]) => compareText(b, a),
} satisfies Record<string, (a: Item, b: Item) => number>

function sortItems({ items, sort, key_order: order }: LookupTableRow): readonly Item[] {
  if (sort !== 'CUSTOM') return items.toSorted(comparisons[sort])
  if (order === null) return items
  const values = new Map(items)
  return order.map((key) => [key, values.get(key) ?? ''])
}
