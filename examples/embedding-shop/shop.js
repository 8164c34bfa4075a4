// The shop's own script: everything else is in embed.js.
const container = document.getElementById('checkout');
const status = document.createElement('p');
status.setAttribute('role', 'status');
status.id = 'shop-status';
container.after(status);

window.CardPayments.embed({
  checkoutUrl: container.dataset.checkoutUrl,
  container,
  title: 'Payment',
  onState: (state) => {
    status.dataset.state = state;
  },
  onClosed: () => {
    status.textContent = 'This checkout is closed. Go back to your cart to start again.';
  },
  // `onComplete` and `onCancel` are left out: embed.js then leads to successUrl and cancelUrl, and the shop's server looks.
});
