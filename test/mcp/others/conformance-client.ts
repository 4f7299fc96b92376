import { connect } from 'node:net'

/** What the conformance suite starts for each scenario: tells the test which one it is, until the test has played its part. */
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context, BELLHOP_TEST } = process.env
const wire = connect(Number(BELLHOP_TEST), '127.0.0.1')
wire.end(JSON.stringify({ scenario, context, url: process.argv.at(-1) }))
wire.pipe(process.stdout)
