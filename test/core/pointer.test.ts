import { describe, expect, it } from 'vitest'
import { findAtPointer, joinPointer, parentPointer, splitPointer } from '../../src/core/pointer.ts'

describe('pointers', () => {
  it('escape tilde and slash', () => {
    expect(joinPointer('', 'a/b', 'm~n', 0)).toBe('/a~1b/m~0n/0')
    expect(splitPointer('/a~1b/m~0n/0')).toEqual(['a/b', 'm~n', '0'])
    expect(splitPointer('')).toEqual([])
  })

  it('find values, and undefined for missing ones', () => {
    expect(findAtPointer({ a: [{ b: 1 }] }, '/a/0/b')).toBe(1)
    expect(findAtPointer({ a: null }, '/a/b')).toBeUndefined()
  })

  it('have the parent of a value', () => {
    expect(parentPointer('/a/0')).toBe('/a')
    expect(parentPointer('')).toBe('')
  })
})
