/** Stands in for webpack in stack tests (jest.config.js). */
module.exports = {};
