// Imported only where cases are counted: most test files have no laws.
if (process.env.LANDFORM_SOAK !== undefined) {
  const { default: fc } = await import('fast-check')
  const { reportCases } = await import('./law_runs.ts')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), reporter: reportCases<unknown>() })
}
