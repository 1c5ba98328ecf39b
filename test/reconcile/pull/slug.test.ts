import { describe, expect, it } from 'vitest'
import { createKeyMaker, slugOf } from '../../../src/reconcile/pull/slug.ts'

describe('slugOf', () => {
  it.each([
    ['Roads', 'roads'],
    ['Straßen & Plätze (2024)', 'strassen_platze_2024'],
    ['  a/b  ', 'a_b'],
    ['Ёлка', ''],
  ])('converts %j to the key %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })
})

describe('a key maker', () => {
  it('never returns a key twice, or one that is in use', () => {
    const keys = createKeyMaker((key) => key === 'roads')
    expect([keys.make('Roads', 'x'), keys.make('Roads', 'x'), keys.make('Дороги', 'layer_7')]).toEqual([
      'roads_2',
      'roads_3',
      'layer_7',
    ])
  })
})
