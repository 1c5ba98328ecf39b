import { describe, expect, it } from 'vitest'
import { detectIconFormat } from '../../../src/contract/formats/icon_format.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

describe('the format of an image', () => {
  it.each([
    ['png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['gif', 'GIF89a\x01\0'],
    ['webp', 'RIFF\x10\0\n\0WEBPVP8 '],
    ['svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['svg', '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg [ <!ENTITY a "b"> ]>\n<svg>'],
  ])('is %s', (format, text) => {
    expect(detectIconFormat(bytesOf(text))).toBe(format)
  })

  it.each(['', 'RIFF\0\0\0\0WAVE', '<html><svg/></html>', '<svgs/>', 'BM\0\0', '%PDF-1.7'])(
    'is unknown: %j',
    (text) => {
      expect(detectIconFormat(bytesOf(text))).toBeUndefined()
    },
  )
})
