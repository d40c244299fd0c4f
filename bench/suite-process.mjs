const [name, ...flags] = process.argv.slice(2);
const { run } = await import(`./suites/${name}.mjs`);
process.send?.(await run({ quick: flags.includes('--quick') }), () => process.exit());
