import { expect, test } from 'vitest'
import { createStyleCache } from '../../../src/server/map/style_cache.ts'
import { defaultStyle } from '../../../src/style/default_style.ts'

const parsed = { style: defaultStyle('POINT'), issues: [] }

test('a style is read once for all who wait for it, and afterwards', async () => {
  const styles = createStyleCache()
  const { promise, resolve } = Promise.withResolvers<typeof parsed>()
  let reads = 0
  const read = () => {
    reads += 1
    return promise
  }
  const waiting = [1, 2, 3].map(() => styles.get([1, 2], read))
  const other = styles.get([1, 3], read)
  resolve(parsed)
  expect(await Promise.all([...waiting, other])).toEqual([parsed, parsed, parsed, parsed])
  expect(await styles.get([1, 2], read)).toBe(parsed)
  expect(reads).toBe(2)
})

test('a style that could not be read is read again', async () => {
  const styles = createStyleCache()
  await expect(styles.get([1], () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  expect(await styles.get([1], () => Promise.resolve(parsed))).toBe(parsed)
})
