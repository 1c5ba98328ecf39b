import { describe, expect, it } from 'vitest'
import { parseBytes, parseDatabase, parseListen } from '../../src/cli/options.ts'

describe('parseDatabase', () => {
  it.each(['postgres://gis@db.example.org/gis', 'postgresql://127.0.0.1:5433/x?sslmode=require'])(
    'takes %s',
    (text) => {
      expect(parseDatabase(text)).toBe(text)
    },
  )

  it.each(['mysql://me:sesame@db/gis', 'db.example.org', 'sesame'])(
    'refuses %s without showing it',
    (text) => {
      expect(() => parseDatabase(text)).toThrow('--database is no address of a PostgreSQL database.')
      expect(() => parseDatabase(text)).not.toThrow('sesame')
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
    expect(parseListen(text)).toEqual(address)
  })

  it.each(['', 'localhost', '127.0.0.1:65536', 'a b:1x'])('refuses %j', (text) => {
    expect(() => parseListen(text)).toThrow('is no address')
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
    expect(() => parseBytes(text, '--upload-limit')).toThrow(`--upload-limit "${text}" is no size.`)
  })
})
