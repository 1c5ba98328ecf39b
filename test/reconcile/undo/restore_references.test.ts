import { expect, it } from 'vitest'
import { restoreReferences } from '../../../src/reconcile/undo/restore_references.ts'

const item = (style: number, name = `L${style}`) => ({
  ...{ item_type: 'layer', display_name: name, layer_style_id: style },
})
const group = (name: string, ...children: readonly object[]) => ({
  ...{ item_type: 'group', display_name: name, children },
})
const map = (children: readonly object[], more: object = {}, basemaps: readonly number[] = []) => ({
  cls: 'webmap',
  members: {
    webmap: { root_item: { item_type: 'root', children }, ...more },
    basemap_webmap: { basemaps: basemaps.map((id) => ({ resource_id: id, display_name: `B${id}` })) },
  },
})

/** Names of a layer tree in order, with groups in brackets. */
function outline(items: readonly { readonly display_name: string; readonly children?: object[] }[]): string {
  return items
    .map(({ display_name: name, children }) =>
      children === undefined ? name : `${name}(${outline(children as never)})`,
    )
    .join(' ')
}

function restored(before: ReturnType<typeof map>, there: ReturnType<typeof map>, ...gone: readonly number[]) {
  const { members, conflicts } = restoreReferences({ before, there, gone: new Set(gone) })
  const { root_item: root, ...rest } = members.webmap as { root_item: { children: never } } & object
  const basemaps = members.basemap_webmap?.basemaps as readonly { readonly display_name: string }[]
  return [outline(root.children), rest, basemaps.map((one) => one.display_name).join(' '), conflicts]
}

it('restores items of groups and fields, and nothing else of the resource', () => {
  const before = map([group('G', item(1), item(2), item(3))], {
    bookmark_resource: 9,
    draw_order_enabled: true,
  })
  const there = map([group('G', item(1), item(3))], { bookmark_resource: null, draw_order_enabled: false })
  expect(restored(before, there, 2, 9)).toEqual([
    ...['G(L1 L2 L3)', { bookmark_resource: 9, draw_order_enabled: false }, '', []],
  ])
})

it('keeps what was added, renamed and moved since', () => {
  const before = map([item(1), group('G', item(2)), item(3)])
  const there = map([item(3, 'Third'), item(1), group('G', item(4))])
  expect(restored(before, there, 2)[0]).toBe('Third L1 G(L2 L4)')
})

it('names fields that have another value since', () => {
  const before = map([], { bookmark_resource: 9 })
  expect(restored(before, map([], { bookmark_resource: 8 }), 9)).toEqual([
    ...['', { bookmark_resource: 9 }, '', ['bookmark_resource']],
  ])
})

it('restores items of lists with a key after those before them', () => {
  const before = map([], {}, [1, 2, 3, 4])
  expect(restored(before, map([], {}, [1, 3]), 2, 4)[2]).toBe('B1 B2 B3 B4')
  expect(restored(before, map([], {}, [5, 3, 1]), 2, 4)[2]).toBe('B5 B3 B1 B2 B4')
  expect(restored(before, map([], {}, [5, 1, 3]), 2, 4)[2]).toBe('B5 B1 B2 B3 B4')
})

it('leaves a resource as it is that has its references', () => {
  const now = map([item(1), item(2)], { bookmark_resource: 9 }, [1])
  expect(restored(now, now)).toEqual(['L1 L2', { bookmark_resource: 9 }, 'B1', []])
  expect(restored(now, now, 9)).toEqual(['L1 L2', { bookmark_resource: 9 }, 'B1', []])
})
