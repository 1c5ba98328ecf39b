import { describe, expect, it, test } from 'vitest'
import {
  formatBytes,
  parseBytes,
  parseDatabase,
  parseListen,
} from '../../../src/server/settings/parse_setting.ts'

describe('parseDatabase', () => {
  it.each(['postgres://gis@db.example.org/gis', 'postgresql://127.0.0.1:5433/x?sslmode=require'])(
    'accepts %s',
    (text) => {
      expect(parseDatabase(text, '--database')).toBe(text)
    },
  )

  it.each(['mysql://me:sesame@db/gis', 'db.example.org', 'sesame'])(
    'refuses %s without showing it',
    (text) => {
      expect(() => parseDatabase(text, 'LANDFORM_DATABASE')).toThrow(
        'Cannot use LANDFORM_DATABASE: the value is not the URL of a PostgreSQL database.',
      )
      expect(() => parseDatabase(text, 'LANDFORM_DATABASE')).not.toThrow('sesame')
    },
  )
})

describe('parseListen', () => {
  it.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    [':8080', { host: '127.0.0.1', port: 8080 }],
    ['8080', { host: '127.0.0.1', port: 8080 }],
  ])('reads %s', (text, address) => {
    expect(parseListen(text, '--listen')).toEqual(address)
  })

  it.each(['', 'localhost', '127.0.0.1:65536', 'a b:1x'])('refuses %j', (text) => {
    expect(() => parseListen(text, '--listen')).toThrow(
      `Cannot use --listen ${JSON.stringify(text)}: it is not an address to listen on.`,
    )
  })
})

describe('parseBytes', () => {
  it.each([
    ['500000', 500_000],
    ['500kB', 500_000],
    ['64MiB', 64 * 2 ** 20],
    ['2.5 gi', 2.5 * 2 ** 30],
    ['1T', 1e12],
  ])('reads %s', (text, bytes) => {
    expect(parseBytes(text, '--upload-limit')).toBe(bytes)
  })

  it.each(['', '0', '-1', '1XB', 'MiB', '1e9', '9999999TB'])('refuses %j', (text) => {
    expect(() => parseBytes(text, '--upload-limit')).toThrow(
      `Cannot use --upload-limit "${text}": it is not a size.`,
    )
  })
})

test.each([
  [64 * 2 ** 20, '64MiB'],
  [8 * 2 ** 30, '8GiB'],
  [1000, '1000'],
  [1536, '1536'],
  [3 * 2 ** 10, '3KiB'],
])('formats %d bytes as %s, which parses to the same number', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
  expect(parseBytes(text, '')).toBe(bytes)
})
