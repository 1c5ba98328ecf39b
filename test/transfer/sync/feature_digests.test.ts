import { describe, expect, test } from 'vitest'
import { digestLength } from '../../../src/contract/feature_key.ts'
import { FeatureDigests } from '../../../src/transfer/sync/feature_digests.ts'

const digest = (name: string) => name.padEnd(digestLength, '.')

/** Digests of features, by key and content. */
const digestsOf = (...features: readonly (readonly [key: string, content: string])[]) =>
  new FeatureDigests(features.map(([key, content], at) => `${digest(key)}${digest(content)}${at + 1}`))

describe('the next feature', () => {
  test('is found by its content, in the order of the layer', () => {
    const digests = digestsOf(['a', '1'], ['b', '2'], ['c', '3'])
    for (const [at, content] of ['1', '2', '3'].entries()) {
      expect(digests.findNext(digest(content))).toBe(at)
      digests.take(at)
    }
    expect(digests.listOthers()).toEqual([])
  })

  test('is the one behind the last one that was found by its key', () => {
    const digests = digestsOf(['a', '1'], ['b', '2'], ['c', '3'])
    digests.take(1)
    expect(digests.findNext(digest('1'))).toBeUndefined()
    expect(digests.findNext(digest('3'))).toBe(2)
  })

  test('is none that was found before, or whose key an earlier one has', () => {
    const digests = digestsOf(['a', '1'], ['b', '2'], ['a', '3'])
    digests.take(1)
    expect(digests.findNext(digest('3'))).toBeUndefined()
    digests.take(0)
    expect(digests.findNext(digest('2'))).toBeUndefined()
  })
})
