import { expect } from 'vitest'
import { recordCases } from './law_cases.ts'

// Imported only where cases are counted: most test files have no laws.
if (process.env.LANDFORM_SOAK !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({
    ...fc.readConfigureGlobal(),
    reporter: (details) => {
      const { testPath = '', currentTestName = '' } = expect.getState()
      recordCases({ file: testPath, law: currentTestName, cases: details.numRuns })
      if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
    },
  })
}
