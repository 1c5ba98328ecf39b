import { describe, expect, it } from 'vitest'
import { createKeyMaker, slugOf } from '../../../src/reconcile/pull/slug.ts'

describe('slugOf', () => {
  it.each([
    ['Roads', 'roads'],
    ['Straßen & Plätze (2024)', 'strassen_platze_2024'],
    ['  a/b  ', 'a_b'],
    ['Ёлка', ''],
  ])('makes of %j the key %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })
})

describe('a key maker', () => {
  it('gives no key twice, and none that is taken', () => {
    const keys = createKeyMaker(['roads'])
    expect([keys.make('Roads', 'x'), keys.make('Roads', 'x'), keys.make('Дороги', 'layer_7')]).toEqual([
      'roads_2',
      'roads_3',
      'layer_7',
    ])
  })
})
