import { expect, test } from 'vitest'
import { chooseFormat } from '../../../src/server/render/image_format.ts'

test('a requested format precedes the header Accept', () => {
  expect(chooseFormat('jpeg', 'image/webp')).toBe('jpeg')
})

test('PNG is the format of clients that accept it, all images, or no image', () => {
  for (const accept of [
    undefined,
    '',
    '*/*',
    'image/*',
    'image/webp, */*;q=0.1',
    'image/jpeg,image/png',
    'text/html',
  ])
    expect(chooseFormat(undefined, accept)).toBe('png')
})

test('WebP precedes JPEG, and types of quality 0 are not accepted', () => {
  expect(chooseFormat(undefined, 'image/jpeg, IMAGE/WEBP')).toBe('webp')
  expect(chooseFormat(undefined, 'image/jpeg;q=0.5, image/webp;q=0')).toBe('jpeg')
  expect(chooseFormat(undefined, 'image/jpeg; q=0.8, */*; q=0')).toBe('jpeg')
})
