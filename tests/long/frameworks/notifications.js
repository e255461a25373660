// What the three listeners in JavaScript do with a notification: what a first version would, without checks.
const customers = new Map();
const alerts = new Map();

exports.store = ({ service, event, details }) => {
  switch (`${service} ${event}`) {
    case 'user 201':
      customers.set(details.clientKey, { name: `${details.firstName.trim()} ${details.lastName.trim()}`,
                                         city: details.address.city.trim() });
      break;
    case 'alerts push':
      alerts.set(details.alertId, { bureau: details.bureau.trim(), status: details.alertDetails.disputeStatus });
      break;
    default:
      customers.set(details.clientKey, { app: details.appKey.toLowerCase() });
  }
};
