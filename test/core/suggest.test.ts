import { describe, expect, it } from 'vitest'
import { findHint, findSuggestion } from '../../src/core/suggest.ts'

describe('findSuggestion', () => {
  it.each([
    ['widht', ['width', 'size'], 'width'],
    ['Width', ['width', 'size'], 'width'],
    ['srss', ['srs', 'source'], 'srs'],
    ['banana', ['width', 'size'], undefined],
    ['x', [], undefined],
    ['layer', ['source', 'source_layer'], 'source_layer'],
    ['min_zoom', ['zoom', 'size'], 'zoom'],
    ['layer', ['source_layer', 'target_layer'], undefined],
  ])('%s among %j gives %s', (word, known, expected) => {
    expect(findSuggestion(word, known)).toBe(expected)
  })

  it('is phrased as a question', () => {
    expect(findHint('widht', ['width'])).toBe('did you mean "width"?')
  })
})
