import { describe, expect, it } from 'vitest'
import { type DataChange, dataLossProblem, losesData } from '../../src/transfer/data_loss.ts'

const change = (before: number, after: number, more: Partial<DataChange> = {}): DataChange => ({
  before,
  after,
  lostFields: [],
  lostAttachments: 0,
  lostDescriptions: 0,
  ...more,
})

describe('a load loses data', () => {
  it('if it removes more features than the fuse allows', () => {
    expect(losesData(change(100, 90), 0.1)).toBe(false)
    expect(losesData(change(100, 89), 0.1)).toBe(true)
    expect(losesData(change(100, 0), 1)).toBe(false)
    expect(losesData(change(100, 300), 0)).toBe(false)
    expect(losesData(change(3, 2), 0.1)).toBe(true)
  })

  it('if a field loses its values, or features lose attachments or descriptions', () => {
    const lostFields = [{ keyname: 'lanes', valueCount: 7 }]
    expect(losesData(change(100, 100, { lostFields }), 1)).toBe(true)
    expect(losesData(change(100, 100, { lostAttachments: 1 }), 1)).toBe(true)
    expect(losesData(change(100, 100, { lostDescriptions: 1 }), 1)).toBe(true)
  })

  it('never for a layer without features', () => {
    expect(losesData(change(0, 0, { lostFields: [{ keyname: 'x', valueCount: undefined }] }), 0.1)).toBe(
      false,
    )
  })

  it('and is reported with the counts before and after', () => {
    const lostFields = [
      { keyname: 'lanes', valueCount: 7 },
      { keyname: 'built', valueCount: undefined },
    ]
    const { message, data } = dataLossProblem('roads', change(10, 3, { lostFields, lostAttachments: 2 }), '')
    expect(message).toBe(
      '"roads" would lose data: 10 → 3 features, fields lanes (7 values), built, 2 attachments. Nothing was loaded.',
    )
    expect(data).toMatchObject({ layer: 'roads', before: 10, after: 3, lost_attachments: 2 })
  })
})
