import { describe, expect, it } from 'vitest'
import { parseDatabase, parseListen } from '../../src/cli/options.ts'

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
