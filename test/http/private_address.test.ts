import { expect, test } from 'vitest'
import { isPrivateAddress, lookupPublic } from '../../src/http/private_address.ts'

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '2002:7f00:1::',
  '64:ff9b::7f00:1',
  '2001:db8::1',
  'localhost',
])('%s is not a public address', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is a public address',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  },
)

test.each([true, false])('a host name of this machine has no public address (all: %s)', async (all) => {
  const error = await new Promise((resolve) => lookupPublic('localhost', { all }, resolve))
  expect(error).toMatchObject({ code: 'LANDFORM_PRIVATE_ADDRESS' })
})
